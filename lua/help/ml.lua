-- SPDX-License-Identifier: Apache-2.0
-- What ?name shows for ml: its functions, and the methods of its estimators
-- (ml.KMeans.NAME).
return {
["ml"] = [=[
ml: clusters, lines, components and neighbours, as scikit-learn has them. An
estimator is made with its parameters, km = ml.KMeans{n_clusters = 3}; km:fit(X)
finds what it is to find, under names that end in _, km.labels_; km:predict(X) says
it of other rows. X is an array with a row for each sample, on the host or on a
device, a frame, or a list of rows. ?ml.metrics lists scores.]=],
["ml.KMeans"] = [=[
ml.KMeans{n_clusters = 8, init = "k-means++", n_init = "auto", max_iter = 300,
tol = 1e-4, random_state}: puts rows into n_clusters groups, each row into the one
whose center is nearest, and each center into the middle of its rows, in turns
(Lloyd's rounds), until no label changes or the centers move less than tol times
the features' mean variance. The number may stand alone: ml.KMeans(3).
init: "k-means++" (far from one another), "random" (rows), or an array of centers.
n_init: how many starts, of which the best is kept; "auto": 10 of "random", else 1.
random_state: a whole number gives the same draws each time (they are not
scikit-learn's), or a generator of np.random.
Methods: fit predict transform score fit_predict fit_transform get_params
set_params (?ml.KMeans.fit says more)
Found:   cluster_centers_ labels_ inertia_ n_iter_ n_features_in_
Shapes:  X (n, d); cluster_centers_ (k, d), on the host; labels_ (n,), where X is
Types:   computed in f64; f32 on a device stays so, its sums are of f64
Errors:  "n_samples=4 should be >= n_clusters=5"
Source:  Lloyd 1982; Arthur and Vassilvitskii 2007; scikit-learn's KMeans; lesson
47; lua/bind/ml/compute/kmeans.c, lua/ml/device.lua
Example: ml.KMeans(2, {init = {{1}, {8}}}):fit{{1}, {2}, {8}, {9}}.inertia_ --> 1.0]=],
["ml.KMeans.fit"] = [=[
km:fit(X): finds centers for the rows of X; gives km itself. Centers that no row is
nearest to take the rows that are farthest from theirs.
Shapes:  (n, d)
Errors:  "Input X contains NaN", "Expected 2D array, got 1D array instead"
Example: ml.KMeans(1):fit{{1, 2}, {3, 4}}.cluster_centers_ --> array([[2, 3]], f64)]=],
["ml.KMeans.predict"] = [=[
km:predict(X): of each row the number of the nearest center.
Shapes:  (n, d) -> (n,), i32
Example: ml.KMeans(1):fit{{1}, {3}}:predict{{9}} --> array([0], i32)]=],
["ml.KMeans.transform"] = [=[
km:transform(X): of each row its distances to all centers.
Shapes:  (n, d) -> (n, k)
Example: ml.KMeans(1):fit{{1}, {3}}:transform{{9}} --> array([[7]], f64)]=],
["ml.KMeans.score"] = [=[
km:score(X): the sum of the rows' squared distances to their centers, below zero,
so that more is better.
Example: ml.KMeans(1):fit{{1}, {3}}:score{{1}, {3}} --> -2.0]=],
["ml.KMeans.fit_predict"] = [=[
km:fit_predict(X): as km:fit(X).labels_.]=],
["ml.KMeans.fit_transform"] = [=[
km:fit_transform(X): as km:fit(X):transform(X).]=],
["ml.KMeans.get_params"] = [=[
km:get_params(): a table of the parameters and their values.]=],
["ml.KMeans.set_params"] = [=[
km:set_params{name = value}: other parameters, for the next fit; km.name = value
does the same for one.]=],
["ml.LinearRegression"] = [=[
ml.LinearRegression{fit_intercept = true, tol = 1e-6}: the weights with which the
features of a row come nearest to y, by the least sum of squares.
tol: what of X's singular values is smaller than this part of the largest counts
as zero.
Methods: fit predict score get_params set_params
Found:   coef_ intercept_ rank_ singular_ n_features_in_
Shapes:  X (n, d), y (n,) or (n, t); coef_ (d,) or (t, d), on the host
Errors:  "Found input variables with inconsistent numbers of samples: [4, 2]"
Source:  LAPACK's gelsd; on a device products of X with itself, and gelsd where
those are not exact enough; scikit-learn's LinearRegression
Example: ml.LinearRegression():fit({{1}, {2}, {3}}, {3, 5, 7}):predict{{4}} --> array([9], f64)]=],
["ml.LinearRegression.fit"] = [=[
m:fit(X, y): finds weights; gives m itself.
Shapes:  (n, d), (n,) or (n, t)]=],
["ml.LinearRegression.predict"] = [=[
m:predict(X): X times coef_, and intercept_.
Shapes:  (n, d) -> (n,) or (n, t)]=],
["ml.LinearRegression.score"] = [=[
m:score(X, y): ml.metrics.r2_score of y and the prediction: 1 is exact.]=],
["ml.LinearRegression.get_params"] = [=[
m:get_params(): a table of the parameters and their values.]=],
["ml.LinearRegression.set_params"] = [=[
m:set_params{name = value}: other parameters, for the next fit.]=],
["ml.PCA"] = [=[
ml.PCA{n_components, whiten = false, svd_solver = "auto"}: the directions in which
rows differ most, the first most of all. n_components: how many (nil: all), or the
part of all variance, between 0.0 and 1.0, that they explain together. It may stand
alone: ml.PCA(2). whiten: what transform gives has variance 1.
svd_solver: "full" (singular values), "covariance_eigh" (eigenvalues of the features'
covariance; always on a device), "auto": the latter where rows are ten times as many
as features. Of each direction the largest part is above zero, as scikit-learn has it
since 1.5.
Methods: fit transform inverse_transform fit_transform get_params set_params
Found:   components_ explained_variance_ explained_variance_ratio_ singular_values_
mean_ noise_variance_ n_components_ n_samples_ n_features_in_
Shapes:  X (n, d); components_ (c, d), on the host
Errors:  "n_components=5 must be between 0 and min(n_samples, n_features)=2 ..."
Source:  LAPACK's gesdd and syevd; scikit-learn's PCA
Example: ml.PCA(1):fit{{1, 1}, {2, 2}, {4, 4}}.explained_variance_ratio_ --> array([1], f64)]=],
["ml.PCA.fit"] = [=[
m:fit(X): finds the directions; gives m itself.]=],
["ml.PCA.transform"] = [=[
m:transform(X): the rows, less the mean, along the directions.
Shapes:  (n, d) -> (n, c)]=],
["ml.PCA.inverse_transform"] = [=[
m:inverse_transform(Z): rows whose transform is Z.
Shapes:  (n, c) -> (n, d)]=],
["ml.PCA.fit_transform"] = [=[
m:fit_transform(X): as m:fit(X):transform(X).]=],
["ml.PCA.get_params"] = [=[
m:get_params(): a table of the parameters and their values.]=],
["ml.PCA.set_params"] = [=[
m:set_params{name = value}: other parameters, for the next fit.]=],
["ml.NearestNeighbors"] = [=[
ml.NearestNeighbors{n_neighbors = 5}: the rows that are nearest to others. All are
looked at.
Methods: fit kneighbors get_params set_params
Errors:  "Expected n_neighbors <= n_samples_fit, but n_neighbors = 5, ..."
Source:  lua/bind/ml/compute/neighbors.c, lua/ml/device.lua; scikit-learn's
NearestNeighbors
Example: ml.NearestNeighbors{n_neighbors = 1}:fit{{1}, {5}}:kneighbors({{4}}, {return_distance = false}) --> array([[1]], i64)]=],
["ml.NearestNeighbors.fit"] = [=[
m:fit(X): keeps the rows among which neighbours are looked for; gives m itself.]=],
["ml.NearestNeighbors.kneighbors"] = [=[
m:kneighbors([X] [, n_neighbors] [, {return_distance = true}]): of each row of X the
distances of the nearest rows that fit got, nearest first, and their places. Without
X of each of those rows, itself not among its neighbours. Of equal distances the
first row comes first.
Shapes:  (n, d) -> (n, k), (n, k)]=],
["ml.NearestNeighbors.get_params"] = [=[
m:get_params(): a table of the parameters and their values.]=],
["ml.NearestNeighbors.set_params"] = [=[
m:set_params{name = value}: other parameters.]=],
["ml.KNeighborsClassifier"] = [=[
ml.KNeighborsClassifier{n_neighbors = 5, weights = "uniform"}: the class that most
of the nearest rows have; weights = "distance": nearer ones count more. Classes are
whole numbers, bools or texts. The number may stand alone.
Methods: fit predict predict_proba score kneighbors get_params set_params
Found:   classes_ n_samples_fit_ n_features_in_
Source:  as ml.NearestNeighbors, whose neighbours vote on the host; scikit-learn's
KNeighborsClassifier
Example: ml.KNeighborsClassifier(1):fit({{1}, {9}}, {"low", "high"}):predict{{2}}[1] --> low]=],
["ml.KNeighborsClassifier.fit"] = [=[
m:fit(X, y): keeps rows and their classes; gives m itself.
Shapes:  (n, d), (n,)]=],
["ml.KNeighborsClassifier.predict"] = [=[
m:predict(X): of each row its class; of classes with equal votes the first. An array,
a list of texts where y was texts.]=],
["ml.KNeighborsClassifier.predict_proba"] = [=[
m:predict_proba(X): of each row the part of the votes for each of m.classes_.
Shapes:  (n, d) -> (n, classes)]=],
["ml.KNeighborsClassifier.score"] = [=[
m:score(X, y): the part of the rows whose class is right.]=],
["ml.KNeighborsClassifier.kneighbors"] = [=[
m:kneighbors([X] [, n_neighbors] [, {return_distance = true}]): as
ml.NearestNeighbors has it.]=],
["ml.KNeighborsClassifier.get_params"] = [=[
m:get_params(): a table of the parameters and their values.]=],
["ml.KNeighborsClassifier.set_params"] = [=[
m:set_params{name = value}: other parameters.]=],
["ml.StandardScaler"] = [=[
ml.StandardScaler{with_mean = true, with_std = true}: each feature with mean 0 and
variance 1; a feature that is constant is not divided.
Methods: fit transform inverse_transform fit_transform get_params set_params
Found:   mean_ var_ scale_ n_samples_seen_ n_features_in_
Source:  scikit-learn's StandardScaler, but for missing values, which are refused
Example: ml.StandardScaler():fit{{1}, {3}}.scale_ --> array([1], f64)]=],
["ml.StandardScaler.fit"] = [=[
m:fit(X): finds means and variances; gives m itself.]=],
["ml.StandardScaler.transform"] = [=[
m:transform(X): (X - mean_) / scale_.
Shapes:  (n, d) -> (n, d)]=],
["ml.StandardScaler.inverse_transform"] = [=[
m:inverse_transform(Z): Z * scale_ + mean_.]=],
["ml.StandardScaler.fit_transform"] = [=[
m:fit_transform(X): as m:fit(X):transform(X).]=],
["ml.StandardScaler.get_params"] = [=[
m:get_params(): a table of the parameters and their values.]=],
["ml.StandardScaler.set_params"] = [=[
m:set_params{name = value}: other parameters, for the next fit.]=],
["ml.train_test_split"] = [=[
ml.train_test_split(x, ... [, {test_size = 0.25, train_size, random_state, shuffle =
true}]): of each array, frame or list the rows for training and those for the test,
the same rows of all. A size is a part (0.2) or a number of rows. Without shuffle the
first rows are for training.
Errors:  "With n_samples=1, test_size=0.25 and train_size=nil, the resulting train
set will be empty ..."
Source:  scikit-learn's train_test_split; random draws are others
Example: #ml.train_test_split(np.arange(8)) --> 6]=],
["ml.metrics"] = [=[
ml.metrics: scores of predicted numbers (mean_squared_error,
root_mean_squared_error, mean_absolute_error, r2_score), of classes
(accuracy_score, confusion_matrix), of clusters (silhouette_score,
silhouette_samples, adjusted_rand_score). A clustering's inertia is km.inertia_.]=],
["ml.metrics.mean_squared_error"] = [=[
ml.metrics.mean_squared_error(y_true, y_pred): the mean of the squared differences.
Shapes:  (n,) or (n, t) of both
Example: ml.metrics.mean_squared_error({1, 2}, {1, 4}) --> 2.0]=],
["ml.metrics.root_mean_squared_error"] = [=[
ml.metrics.root_mean_squared_error(y_true, y_pred): its root, of several outputs the
mean of their roots.
Example: ml.metrics.root_mean_squared_error({1, 2}, {4, 5}) --> 3.0]=],
["ml.metrics.mean_absolute_error"] = [=[
ml.metrics.mean_absolute_error(y_true, y_pred): the mean of the differences without
signs.
Example: ml.metrics.mean_absolute_error({1, 2}, {1, 4}) --> 1.0]=],
["ml.metrics.r2_score"] = [=[
ml.metrics.r2_score(y_true, y_pred): how much of y_true's variance the prediction
explains: 1 is exact, 0 is no better than the mean.
Example: ml.metrics.r2_score({1, 2, 3}, {1, 2, 3}) --> 1.0]=],
["ml.metrics.accuracy_score"] = [=[
ml.metrics.accuracy_score(y_true, y_pred [, {normalize = true}]): the part of the
samples whose class is right; their number for normalize = false.
Example: ml.metrics.accuracy_score({"a", "b"}, {"a", "a"}) --> 0.5]=],
["ml.metrics.confusion_matrix"] = [=[
ml.metrics.confusion_matrix(y_true, y_pred): in row i, column j, how many samples of
class i were taken for class j; classes in order.
Example: ml.metrics.confusion_matrix({0, 1}, {0, 0})[1][0] --> 1]=],
["ml.metrics.silhouette_score"] = [=[
ml.metrics.silhouette_score(X, labels [, {sample_size, random_state}]): the mean of
silhouette_samples; sample_size: of so many rows, drawn.
Errors:  "Number of labels is 1. Valid values are 2 to n_samples - 1 (inclusive)"
Source:  Rousseeuw 1987; scikit-learn's silhouette_score; lesson 47
Example: ml.metrics.silhouette_score({{1}, {2}, {8}, {9}}, {0, 0, 1, 1}) > 0.8 --> true]=],
["ml.metrics.silhouette_samples"] = [=[
ml.metrics.silhouette_samples(X, labels): of each row, near 1 where its cluster is much
nearer than any other, below 0 where another is nearer. All pairs are looked at.
Shapes:  (n, d), (n,) -> (n,)]=],
["ml.metrics.adjusted_rand_score"] = [=[
ml.metrics.adjusted_rand_score(labels_true, labels_pred): how alike two clusterings
are, whatever their numbers: 1 for the same, about 0 for chance.
Source:  Hubert and Arabie 1985
Example: ml.metrics.adjusted_rand_score({0, 0, 1}, {5, 5, 2}) --> 1.0]=],
}
