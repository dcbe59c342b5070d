"""A network as scikit-learn's classifier: fit, predict, cross-validate, clone."""

import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_val_score
from skorch import NeuralNetClassifier

torch.manual_seed(0)
x, y = make_classification(60, 6, n_informative=4, random_state=0)
x, y = x.astype(np.float32), y.astype(np.int64)


class Net(torch.nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(6, hidden), torch.nn.ReLU(), torch.nn.Linear(hidden, 2), torch.nn.Softmax(-1)
        )

    def forward(self, x):
        return self.layers(x)


net = NeuralNetClassifier(Net, max_epochs=5, lr=0.1, verbose=0, module__hidden=10)
net.fit(x, y)
print([round(row["train_loss"], 5) for row in net.history], net.predict(x[:10]), net.predict_proba(x[:2]))
print(cross_val_score(net, x, y, cv=3))
