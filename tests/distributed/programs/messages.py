"""Messages between ranks, an all-reduce by hand, and objects, as PyTorch's tutorial on distributed programs has them."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()

tensor = torch.zeros(1)
if rank == 0:
    tensor += 1
    dist.send(tensor=tensor, dst=1)
elif rank == 1:
    dist.recv(tensor=tensor, src=0)
print("Rank ", rank, " has data ", tensor[0])

tensor, request = torch.zeros(1), None
if rank == 0:
    tensor += 1
    request = dist.isend(tensor=tensor, dst=1)
    print("Rank 0 started sending")
elif rank == 1:
    request = dist.irecv(tensor=tensor, src=0)
    print("Rank 1 started receiving")
if request is not None:
    request.wait()
print("Rank ", rank, " has data ", tensor[0])


def allreduce(send, recv):
    """A ring: what a rank gets from its left it adds and passes on to its right."""
    send_buff, recv_buff, accum = send.clone(), send.clone(), send.clone()
    left, right = (rank - 1) % size, (rank + 1) % size
    for i in range(size - 1):
        if i % 2 == 0:
            send_req = dist.isend(send_buff, right)
            dist.recv(recv_buff, left)
            accum[:] += recv_buff[:]
        else:
            send_req = dist.isend(recv_buff, right)
            dist.recv(send_buff, left)
            accum[:] += send_buff[:]
        send_req.wait()
    recv[:] = accum[:]


x = torch.arange(4.0) * (rank + 1)
result = torch.zeros(4)
allreduce(x, result)
print("by hand", result)

# from anybody, by tag, of several dtypes, in one batch
if rank == 0:
    came = sorted(dist.recv(torch.zeros(2)) for _ in range(size - 1))
    print("from", came)
else:
    dist.send(torch.ones(2) * rank, 0)
dist.barrier()
right, left = (rank + 1) % size, (rank - 1) % size
for dtype in (torch.int64, torch.bool, torch.float16, torch.bfloat16, torch.complex64, torch.uint8):
    x, y = (torch.arange(3) + rank).to(dtype), torch.zeros(3, dtype=dtype)
    works = dist.batch_isend_irecv([dist.P2POp(dist.isend, x, right), dist.P2POp(dist.irecv, y, left)])
    for work in works:
        work.wait()
    print(dtype, y)
if rank < 2:
    other = 1 - rank
    first, second = torch.zeros(1), torch.zeros(1)
    works = [dist.isend(torch.tensor([5.0 + rank]), other, tag=5), dist.isend(torch.tensor([7.0 + rank]), other, tag=7)]
    works += [dist.irecv(second, other, tag=7), dist.irecv(first, other, tag=5)]
    for work in works:
        work.wait()
    print("tags", first, second)
big = torch.arange(500_000.0) * (rank + 1)
came = torch.empty_like(big)
work = dist.isend(big, right)
dist.recv(came, left)
work.wait()
print("large", came.sum())

objects = [None] * size
dist.all_gather_object(objects, {"rank": rank, "list": [1, "two", 3.0], "t": torch.arange(2) * rank})
print(objects)
objects = ["first", {2: (3, 4)}, torch.ones(2)] if rank == 0 else [None, None, None]
dist.broadcast_object_list(objects, src=0)
print(objects)
objects = [None] * size if rank == 1 else None
dist.gather_object(("rank", rank), objects, dst=1)
print(objects)
mine = [None]
dist.scatter_object_list(mine, [f"for {i}" for i in range(size)] if rank == 0 else None, src=0)
print(mine)
if rank == 0:
    dist.send_object_list(["a", {"b": 1}], dst=1)
elif rank == 1:
    objects = [None, None]
    dist.recv_object_list(objects, src=0)
    print(objects)
dist.destroy_process_group()
