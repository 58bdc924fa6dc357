/** Jest's own assertions, also outside of jest: eval packs run in `npm run tools:verify` too. */
export { expect } from 'expect';
