export {
  type AccessRefusal,
  type Issue,
  type Meaning,
  meaningOf,
  pointer,
  Refusal,
  type RefusalFacts,
  type RefusalKind,
  refusalKinds,
} from './refusal.js';
