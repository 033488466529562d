/** A software authenticator that creates a passkey and signs with it (WebAuthn, level 2). */
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

type Flags = { userVerified: boolean }
type Options = { challenge: string; rp?: { id: string }; rpId?: string }

export type SoftwarePasskey = {
  /** The browser's response to the options of a registration. */
  register: (options: Options, origin: string, flags?: Flags) => object
  /** The browser's response to the options of a sign-in. */
  sign: (options: Options, origin: string, flags?: Flags) => object
}

export function createSoftwarePasskey(): SoftwarePasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  let count = 0

  function authData(site: string, { userVerified }: Flags, attested: Buffer): Buffer {
    const flags = 0x01 | (userVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0)
    const head = Buffer.alloc(5)
    head.writeUInt8(flags)
    count += 1
    head.writeUInt32BE(count, 1)
    return Buffer.concat([sha256(Buffer.from(site)), head, attested])
  }

  const toCredential = (response: object) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
    response,
  })

  return {
    register(options, origin, flags = { userVerified: true }) {
      const jwk = publicKey.export({ format: 'jwk' })
      const coordinate = (text = '') => Buffer.from(text, 'base64url')
      const key = cborMap([
        [cborInteger(1), cborInteger(2)],
        [cborInteger(3), cborInteger(-7)],
        [cborInteger(-1), cborInteger(1)],
        [cborInteger(-2), cborBytes(coordinate(jwk.x))],
        [cborInteger(-3), cborBytes(coordinate(jwk.y))],
      ])
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const attested = Buffer.concat([Buffer.alloc(16), length, id, key])
      const attestation = cborMap([
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), cborMap([])],
        [cborText('authData'), cborBytes(authData(options.rp?.id ?? '', flags, attested))],
      ])
      return toCredential({
        clientDataJSON: clientData('webauthn.create', options, origin).toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      })
    },
    sign(options, origin, flags = { userVerified: true }) {
      const data = clientData('webauthn.get', options, origin)
      const authenticatorData = authData(options.rpId ?? '', flags, Buffer.alloc(0))
      const signature = createSign('sha256')
        .update(Buffer.concat([authenticatorData, sha256(data)]))
        .sign(privateKey)
      return toCredential({
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signature.toString('base64url'),
      })
    },
  }
}

function clientData(type: string, { challenge }: Options, origin: string): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

/** The subset of CBOR (RFC 8949) that passkeys use. */
function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value])
  if (value < 256) return Buffer.from([(major << 5) | 24, value])
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255])
}
const cborInteger = (value: number) => (value < 0 ? cborHead(1, -1 - value) : cborHead(0, value))
const cborBytes = (bytes: Buffer) => Buffer.concat([cborHead(2, bytes.length), bytes])
const cborText = (text: string) => Buffer.concat([cborHead(3, text.length), Buffer.from(text)])
const cborMap = (entries: [Buffer, Buffer][]) =>
  Buffer.concat([cborHead(5, entries.length), ...entries.flat()])
