"""TabNet: trained on the digits' first columns."""

import numpy as np
from pytorch_tabnet.tab_model import TabNetClassifier, TabNetRegressor

rng = np.random.RandomState(0)
x = rng.randn(120, 6).astype(np.float32)
y = (x[:, 0] + x[:, 1] > 0).astype(int)
model = TabNetClassifier(n_d=4, n_a=4, n_steps=2, seed=0, verbose=0)
model.fit(x[:90], y[:90], eval_set=[(x[90:], y[90:])], max_epochs=3, batch_size=32, virtual_batch_size=16, patience=5)
print(model.predict_proba(x[90:95]).round(5))
print(model.feature_importances_.round(4))
r = TabNetRegressor(n_d=4, n_a=4, n_steps=2, seed=0, verbose=0)
r.fit(x[:90], x[:90, :1] * 2, max_epochs=2, batch_size=45, virtual_batch_size=15)
print(r.predict(x[90:93]))
