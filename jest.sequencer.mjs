import Sequencer from '@jest/test-sequencer';

// What kills parts that all specs share: what it may leave behind is left to nobody.
const LAST = /(outages|broker-death)\.real\.spec\.js$/;

export default class KillersLast extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(({ path }) => !LAST.test(path)), ...sorted.filter(({ path }) => LAST.test(path))];
  }
}
