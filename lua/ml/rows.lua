-- SPDX-License-Identifier: Apache-2.0
-- The loops over rows, where the rows are: C's on the host, kernels on a
-- device.
local use = ...
local device = use("device")
local np = use.np

-- What ../bind/ml/l_ml.c says of them.
local host = {
  round = use.kmeans_round, closer = use.closer, distances = use.distances,
  neighbors = use.neighbors, label_distances = use.label_distances,
}

--- As many labels that no row has yet.
function host.labels(x) return np.full(x.shape[1], -1, "i32") end

function host.infinities(x) return np.full(x.shape[1], np.inf, "f64") end

--- Row i, on the host.
function host.row(x, i) return x[i]:astype("f64") end

--- The loops for rows that lie where `x` does.
return function(x) return x.device == "host" and host or device end
