/** What only the browser can do with passkeys. */

/** Whether this browser can make and use passkeys here. */
export function canUsePasskeys(): boolean {
  return typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function'
}

/** Has the browser sign in with a passkey. @throws DOMException where the person cancels. */
export async function signWithPasskey(
  options: PublicKeyCredentialRequestOptionsJSON,
): Promise<object> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
    ...options,
    userVerification: 'required',
  })
  return toJson(await navigator.credentials.get({ publicKey }))
}

/** Has the browser make a passkey. @throws DOMException where the person cancels. */
export async function makePasskey(
  options: PublicKeyCredentialCreationOptionsJSON,
): Promise<object> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return toJson(await navigator.credentials.create({ publicKey }))
}

function toJson(credential: Credential | null): object {
  if (credential instanceof PublicKeyCredential) return credential.toJSON()
  throw new DOMException('No passkey was chosen.', 'NotAllowedError')
}
