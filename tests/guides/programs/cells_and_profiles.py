import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

torch.manual_seed(0)
x, h, c = torch.randn(2, 3), torch.randn(2, 4), torch.randn(2, 4)
for gates, cell in ((4, torch.lstm_cell), (3, torch.gru_cell), (1, torch.rnn_tanh_cell), (1, torch.rnn_relu_cell)):
    weights = [torch.randn(gates * 4, n) for n in (3, 4)] + [torch.randn(gates * 4) for _ in range(2)]
    print(cell(x, (h, c) if gates == 4 else h, *weights))
    print(cell(x, (h, c) if gates == 4 else h, *weights[:2]))
cell = torch.nn.LSTMCell(3, 4)
print(torch.equal(cell(x, (h, c))[0], torch.lstm_cell(x, (h, c), *cell.parameters())[0]))

with profile(activities=[ProfilerActivity.CPU]) as prof:
    with record_function("block"):
        for _ in range(3):
            y = (x + 1).exp()
counts = {e.key: e.count for e in prof.key_averages()}
print(counts["aten::add"], counts["aten::exp"], counts["block"])
print(prof.key_averages().table(sort_by="cpu_time_total").splitlines()[1].split())
plan = schedule(wait=1, warmup=1, active=2, repeat=1, skip_first=1)
print([plan(i).name for i in range(7)])
with profile(schedule=schedule(wait=1, warmup=1, active=2), on_trace_ready=lambda p: print("ready", p.step_num)) as p:
    for _ in range(6):
        x + x
        p.step()
with torch.autograd.profiler.profile() as prof:
    x * x
print([e.name for e in prof.function_events])
print(torch.utils.deterministic.fill_uninitialized_memory)
