import { sha256 } from '../crypto/hash.ts'

/** An ETag that changes with the content. */
export function etagOf(content: string): string {
  return `"${sha256(content).slice(0, 22)}"`
}

/**
 * Whether `If-None-Match` contains an ETag. A proxy may weaken an ETag, and a browser may send several of them (RFC 9110,
 * section 13.1.2).
 */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  return (header ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}
