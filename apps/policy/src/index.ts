export { type PolicyConfig, parsePolicyConfig } from './config.js';
export { startPolicy } from './policy.module.js';
