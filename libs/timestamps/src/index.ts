export type { StampAnswer, TimestampAuthority } from './authority.js';
export { BadCertificate, type PinnedCertificate, pinnedCertificates } from './pinned-certificate.js';
export { grantedToken, newNonce, timestampRequest } from './request.js';
export { timestampedBytes } from './timestamped-bytes.js';
export { type TokenVerdict, verifyToken } from './verify-token.js';
