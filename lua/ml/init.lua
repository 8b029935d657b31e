-- SPDX-License-Identifier: Apache-2.0
-- What is in `ml`.
local use = ...
local ml = use.ml
setmetatable(ml, nil)

ml.KMeans = use("kmeans")

use.guard(ml, "ml")
return ml
