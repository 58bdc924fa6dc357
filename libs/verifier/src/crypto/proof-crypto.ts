/** True if the bytes are a valid Ed25519 signature (RFC 8032) of the message. */
export type VerifySignature = (message: Uint8Array, signature: Uint8Array) => boolean;

/**
 * The cryptography that a verifier needs: nothing else of it depends on where it runs. Implementations are synchronous, and must agree on
 * the vectors of `proof-crypto.suite.ts`.
 */
export interface ProofCrypto {
  /** SHA-256 of the data. */
  sha256(data: Uint8Array): Uint8Array;
  /** Checks signatures of this raw public key of 32 bytes. A key that is no point of the curve verifies nothing. */
  ed25519(public_key: Uint8Array): VerifySignature;
}
