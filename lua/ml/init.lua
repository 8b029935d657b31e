-- SPDX-License-Identifier: Apache-2.0
-- What is in `ml`.
local use = ...
local ml = use.ml
setmetatable(ml, nil)

local neighbors = use("neighbors")

ml.KMeans = use("kmeans")
ml.LinearRegression = use("linear")
ml.PCA = use("pca")
ml.NearestNeighbors = neighbors.NearestNeighbors
ml.KNeighborsClassifier = neighbors.KNeighborsClassifier
ml.StandardScaler = use("scaler")
ml.train_test_split = use("split")
ml.metrics = use("metrics")

use.guard(ml, "ml")
return ml
