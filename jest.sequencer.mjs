import Sequencer from '@jest/test-sequencer';

// What kills parts that all specs share: what it may leave behind is left to nobody.
const LAST = /(outages|broker-death)\.alone\.real\.spec\.js$/;
// What takes a minute: begun late, it would run on with one core idle.
const FIRST = /(\.e2e|(contract|abuse|programs|any-order|pglite-store)(\.slow|\.sized)?\.int)\.spec\.js$/;

const turn = ({ path }) => (LAST.test(path) ? 2 : FIRST.test(path) ? 0 : 1);

export default class LongFirstKillersLast extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => turn(a) - turn(b));
  }
}
