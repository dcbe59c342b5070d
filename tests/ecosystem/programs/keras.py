"""Keras with torch behind it: layers, fit, evaluate, predict."""

import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np
import torch
from keras import layers, ops

keras.utils.set_random_seed(0)
x = np.random.default_rng(0).standard_normal((32, 6)).astype("float32")
y = (x[:, 0] > 0).astype("int64")
model = keras.Sequential(
    [
        keras.Input((6,)),
        layers.Dense(8, activation="relu"),
        layers.BatchNormalization(),
        layers.Dropout(0.2),
        layers.Dense(2),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(0.01),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
print(model.count_params(), isinstance(model, torch.nn.Module))
weights = np.random.default_rng(1)
model.set_weights(
    [
        weights.standard_normal(w.shape).astype("float32") * 0.3 if "var" not in str(i) else w
        for i, w in enumerate(model.get_weights())
    ]
)
model.get_layer(index=1).moving_variance.assign(np.ones(8, "float32"))
history = model.fit(x, y, epochs=3, batch_size=8, verbose=0, shuffle=False)
print({k: [round(v, 4) for v in vs] for k, vs in history.history.items()})
print(model.evaluate(x, y, verbose=0), model.predict(x[:2], verbose=0))
inputs = keras.Input((8, 8, 3))
z = layers.Conv2D(4, 3, padding="same", strides=2)(inputs)
z = layers.LayerNormalization()(z)
z = layers.Conv2DTranspose(3, 3, strides=2, padding="same")(z)
z = layers.GlobalAveragePooling2D()(layers.MaxPooling2D()(z))
net = keras.Model(inputs, layers.Dense(2)(z))
print(net(np.ones((1, 8, 8, 3), "float32")).shape, net.output_shape)
seq = keras.Sequential(
    [layers.Embedding(10, 4), layers.Bidirectional(layers.LSTM(3, return_sequences=True)), layers.GRU(3)]
)
print(seq(np.arange(6).reshape(2, 3)).shape)
print(layers.MultiHeadAttention(2, 4)(np.ones((1, 3, 4), "float32"), np.ones((1, 5, 4), "float32")).shape)
a = ops.arange(6, dtype="float32")
print(ops.reshape(a, (2, 3)), ops.einsum("ij,kj->ik", ops.reshape(a, (2, 3)), ops.ones((2, 3))), ops.softmax(a))
for name in (
    "logsumexp",
    "cumsum",
    "std",
    "argmax",
    "flip",
    "log1p",
    "erf",
    "rsqrt",
    "sort",
    "round",
    "sign",
    "median",
    "var",
    "any",
    "count_nonzero",
):
    print(name, getattr(ops, name)(a))
print(
    ops.image.resize(ops.ones((1, 4, 4, 1)), (2, 2)).shape, ops.scatter([[0], [2]], [1.0, 2.0], (4,)), ops.top_k(a, 2)
)
print(
    ops.convert_to_numpy(ops.segment_sum(a, ops.array([0, 0, 1, 1, 2, 2]))),
    ops.scan(lambda c, v: (c + v, c), ops.array(0.0), a),
)
print(
    ops.qr(ops.reshape(a[:4], (2, 2))),
    ops.svd(ops.reshape(a[:4], (2, 2)))[1],
    ops.fft((a, a * 0))[0],
    ops.cond(True, lambda: a, lambda: -a)[1],
)
