/** Passkey functions of the browser. */

/** Whether this browser can create and use passkeys on this page. */
export function canUsePasskeys(): boolean {
  return typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function'
}

/** Signs the challenge with a passkey. @throws DOMException if the user cancels. */
export async function getPasskeyAssertion(
  options: PublicKeyCredentialRequestOptionsJSON,
): Promise<object> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
    ...options,
    userVerification: 'required',
  })
  return toJson(await navigator.credentials.get({ publicKey }))
}

/** Creates a passkey. @throws DOMException if the user cancels. */
export async function createPasskey(
  options: PublicKeyCredentialCreationOptionsJSON,
): Promise<object> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return toJson(await navigator.credentials.create({ publicKey }))
}

function toJson(credential: Credential | null): object {
  if (credential instanceof PublicKeyCredential) return credential.toJSON()
  throw new DOMException('No passkey was selected.', 'NotAllowedError')
}
