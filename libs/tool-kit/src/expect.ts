/** Jest's assertions, which need no test runner: eval packs also run in `npm run tools:verify`. */
export { expect } from 'expect';
