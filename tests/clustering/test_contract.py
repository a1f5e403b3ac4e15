"""scikit-learn's contract: every check of `check_estimator`, with the expected failures and their reason."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.utils.estimator_checks import parametrize_with_checks

from orthonet import OrthoNet

ONE_CLUSTER = "the check asks for n_clusters=1, which OrthoNet refuses with a sentence: one cluster is no clustering"
NOT_A_CLASSIFIER = "the check reads the classifier tags of whatever has predict_proba, and a clusterer has none"
EXPECTED_FAILURES = dict.fromkeys(
    ("check_estimator_sparse_array", "check_estimator_sparse_matrix"), NOT_A_CLASSIFIER
) | dict.fromkeys(
    (
        "check_dont_overwrite_parameters",
        "check_methods_subset_invariance",
        "check_fit2d_1sample",
        "check_fit2d_1feature",
        "check_fit2d_predict1d",
    ),
    ONE_CLUSTER,
)


@parametrize_with_checks([OrthoNet(random_state=0)], expected_failed_checks=lambda estimator: EXPECTED_FAILURES)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.fixture
def features(rng):
    return rng.normal(size=(30, 3)) + 6 * (np.arange(30) % 2)[:, None]


class TestWhatTheExpectedFailuresWouldHaveChecked:
    """The same behaviour, with two clusters."""

    @pytest.mark.parametrize("kind", ["array", "matrix"])
    @pytest.mark.parametrize("form", ["csr", "csc", "coo", "dok", "lil", "dia", "bsr"])
    def test_sparse_features_of_every_kind(self, features, kind, form):
        features = np.where(np.abs(features) > 1, features, 0)
        given = getattr(sparse, f"{form}_{kind}")(features)
        model = OrthoNet(2, training={"max_iter": 5}, random_state=0).fit(given)
        assert model.predict(given).shape == (30,)
        assert model.predict_proba(given).shape == (30, 2)

    def test_subsets_are_labelled_as_in_the_whole(self, features):
        model = OrthoNet(2, random_state=0).fit(features)
        parts = [model.transform(part) for part in np.array_split(features, 7)]
        np.testing.assert_allclose(np.vstack(parts), model.transform(features), atol=1e-9)

    def test_fit_adds_only_fitted_names(self, features):
        model = OrthoNet(2, random_state=0)
        parameters = model.get_params()
        model.fit(features)
        assert model.get_params() == parameters
        added = set(vars(model)) - set(parameters)
        assert all(name.startswith("_") or name.endswith("_") for name in added)

    def test_one_node_is_too_few(self):
        with pytest.raises(ValueError, match="1 sample"):
            OrthoNet(2).fit(np.ones((1, 3)))

    def test_one_feature_is_enough(self, features):
        assert len(set(OrthoNet(2, random_state=0).fit_predict(features[:, :1]))) == 2

    def test_predict_wants_a_matrix(self, features):
        with pytest.raises(ValueError, match="Reshape your data"):
            OrthoNet(2, random_state=0).fit(features).predict(features[0])
