import type { FastifyReply } from 'fastify'

/**
 * Gives every answer what it carries, also one of the receiver, a health check or an error that no route
 * gave: it is what it says it is, no page may show it within itself, and nobody keeps it. Pages have a policy
 * of their own (page-headers.ts), and what may be kept says so.
 */
export function createHeaders(settings: { isBehindTls: boolean }): (reply: FastifyReply) => void {
  const headers = Object.entries(headersOf(settings))
  return ({ raw }) => {
    // Not the reply's own: those would win over the policy that helmet gives a page.
    for (const [name, value] of headers) raw.setHeader(name, value)
  }
}

/** By their names. */
export function headersOf({ isBehindTls }: { isBehindTls: boolean }): Record<string, string> {
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': NOTHING,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...(isBehindTls ? { 'Strict-Transport-Security': FOR_A_YEAR } : {}),
  }
}

const FORBIDDEN = "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const NOTHING = `default-src 'none'; ${FORBIDDEN}`
const FOR_A_YEAR = 'max-age=31536000; includeSubDomains'

/** The page that tells a person of an error: its style sheet and nothing else. */
export const ERROR_PAGE_POLICY = `default-src 'none'; style-src 'self'; ${FORBIDDEN}`
