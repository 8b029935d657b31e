-- SPDX-License-Identifier: Apache-2.0
-- The loops over rows, where the rows are: C's on the host, kernels on a device.
local use = ...
local device = use("device")
local np = use.np

local host = {}

--- As many labels that no row has yet.
function host.labels(x) return np.full(x.shape[1], -1, "i32") end

--- inertia, changed, counts, sums: a round of k-means (../bind/ml/compute).
function host.round(x, centers, labels, sums_too)
  return use.kmeans_round(x, centers, labels, sums_too)
end

--- The lesser of `nearest` and the squared distance to a center, and their sum.
function host.closer(x, center, nearest)
  return use.closer(x, center, nearest)
end

function host.infinities(x) return np.full(x.shape[1], np.inf, "f64") end

function host.distances(x, y) return use.distances(x, y) end

function host.neighbors(x, q, k, skips_own)
  return use.neighbors(x, q, k, skips_own)
end

function host.label_distances(x, labels, k)
  return use.label_distances(x, labels, k)
end

--- Row i, on the host.
function host.row(x, i) return x[i]:astype("f64") end

--- The loops for rows that lie where `x` does.
return function(x) return x.device == "host" and host or device end
