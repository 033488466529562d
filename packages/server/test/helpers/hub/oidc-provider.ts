/** A minimal OpenID Connect provider, which signs in every user as the person that the test sets. */
import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenAtFreePort } from '../process/free-port.ts'

type Person = { sub: string; email: string; name: string; email_verified: boolean }

export type OidcProvider = {
  issuer: string
  clientId: string
  clientSecret: string
  /** Sets the person who is signed in. */
  setPerson: (person: Partial<Person>) => void
  /** Overrides claims of the tokens. */
  overrideClaims: (claims: Record<string, unknown>) => void
  /** Overrides members of the discovery document. */
  overrideDiscovery: (members: Record<string, unknown>) => void
  [Symbol.asyncDispose]: () => Promise<void>
}

type Grant = { person: Person; nonce: string; challenge: string; redirectUri: string }

/** Shared by all providers, because its generation costs more than a sign-in. */
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** @param stopped a stopped provider whose address and client secret are reused. */
export async function startOidcProvider(stopped?: OidcProvider): Promise<OidcProvider> {
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }
  const clientId = 'recordhub'
  const clientSecret = stopped?.clientSecret ?? `secret-${randomUUID()}`
  const grants = new Map<string, Grant>()
  let person: Person = { sub: 'p1', email: 'sso@example.org', name: 'Sam', email_verified: true }
  let claimOverrides: Record<string, unknown> = {}
  let discoveryOverrides: Record<string, unknown> = {}

  // Only clients close idle connections: a request on one that its server closes at that moment fails.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const url = new URL(request.url ?? '/', issuer)
    const json = (value: unknown, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (url.pathname === '/.well-known/openid-configuration') {
      return json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256'],
        ...discoveryOverrides,
      })
    }
    if (url.pathname === '/jwks') return json({ keys: [jwk] })
    if (url.pathname === '/authorize') {
      const query = url.searchParams
      const code = randomUUID()
      const redirectUri = query.get('redirect_uri') ?? ''
      const challenge = query.get('code_challenge') ?? ''
      grants.set(code, { person, nonce: query.get('nonce') ?? '', challenge, redirectUri })
      const callback = new URL(redirectUri)
      callback.searchParams.set('code', code)
      callback.searchParams.set('state', query.get('state') ?? '')
      response.writeHead(302, { location: callback.href })
      return response.end()
    }
    if (url.pathname === '/token') {
      const sent = new URLSearchParams(await text(request))
      const grant = grants.get(sent.get('code') ?? '')
      grants.delete(sent.get('code') ?? '')
      const verifier = sent.get('code_verifier') ?? ''
      const hashedVerifier = createHash('sha256').update(verifier).digest('base64url')
      const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
      const isClient =
        sent.get('client_secret') === clientSecret ||
        request.headers.authorization === `Basic ${basic}`
      if (!grant || !isClient || hashedVerifier !== grant.challenge) {
        return json({ error: 'invalid_grant' }, 400)
      }
      const now = Math.floor(Date.now() / 1000)
      const claims = { iss: issuer, aud: clientId, iat: now, exp: now + 300, nonce: grant.nonce }
      return json({
        access_token: randomUUID(),
        token_type: 'Bearer',
        expires_in: 300,
        id_token: signJwt({ ...claims, ...grant.person, ...claimOverrides }),
      })
    }
    return json({ error: 'not_found' }, 404)
  })

  function signJwt(claims: object): string {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${part({ alg: 'RS256', typ: 'JWT', kid: 'k1' })}.${part(claims)}`
    const signature = createSign('sha256').update(signed).sign(privateKey)
    return `${signed}.${signature.toString('base64url')}`
  }

  if (stopped) {
    await once(server.listen(Number(new URL(stopped.issuer).port), '127.0.0.1'), 'listening')
  }
  const issuer = stopped?.issuer ?? `http://127.0.0.1:${await listenAtFreePort(server)}`
  return {
    issuer,
    clientId,
    clientSecret,
    setPerson(next) {
      person = { ...person, ...next }
    },
    overrideClaims(claims) {
      claimOverrides = claims
    },
    overrideDiscovery(members) {
      discoveryOverrides = members
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
