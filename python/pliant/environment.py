"""A world as an environment for learning: reset(seed) and step(action), as Gymnasium names them."""
import numpy


class Environment:
    """Steps a world under the control of an agent.

    make() returns a world; act(world, action) applies an action, observe(world) returns an
    observation, reward(world) a number; done(world), if given, ends an episode. randomise(world,
    generator), if given, disturbs the start. Every episode begins with the bits of the first one.
    """

    def __init__(self, make, act, observe, reward, done=None, randomise=None, substeps=1, limit=None):
        self.world = make()
        self._start = self.world.save()
        self._act, self._observe, self._reward = act, observe, reward
        self._done, self._randomise = done or (lambda world: False), randomise
        self._substeps, self._limit, self._taken = substeps, limit, 0
        self._generator = numpy.random.default_rng()

    def reset(self, seed=None):
        """Observation and an empty dict; a seed makes what randomise does repeatable."""
        if seed is not None:
            self._generator = numpy.random.default_rng(seed)
        self.world.load(self._start)
        self._taken = 0
        if self._randomise is not None:
            self._randomise(self.world, self._generator)
        return self._observe(self.world), {}

    def step(self, action):
        """Observation, reward, whether the episode is over, whether the limit cuts it, a dict."""
        self._act(self.world, action)
        self.world.step(self._substeps)
        self._taken += 1
        cut = self._limit is not None and self._taken >= self._limit
        return self._observe(self.world), self._reward(self.world), self._done(self.world), cut, {}
