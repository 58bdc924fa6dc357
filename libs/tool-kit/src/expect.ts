/** Jest's own assertions, which need no test runner: eval packs run in `npm run tools:verify` too. */
export { expect } from 'expect';
