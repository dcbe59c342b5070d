"""Two layers of a graph network on a small graph."""

import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, GCNConv, SAGEConv, global_mean_pool

torch.manual_seed(0)
edges = torch.tensor([[0, 1, 1, 2, 2, 3, 3, 0], [1, 0, 2, 1, 3, 2, 0, 3]])
data = Data(x=torch.randn(4, 5), edge_index=edges, y=torch.tensor([0, 1, 1, 0]))
print(data)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = GCNConv(5, 8), SAGEConv(8, 8), GATConv(8, 2)

    def forward(self, x, edges):
        return self.third(self.second(self.first(x, edges).relu(), edges).relu(), edges)


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for _ in range(3):
    loss = torch.nn.functional.cross_entropy(net(data.x, data.edge_index), data.y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss)
for batch in DataLoader([data, data, data], batch_size=2):
    print(batch, global_mean_pool(net(batch.x, batch.edge_index), batch.batch))
