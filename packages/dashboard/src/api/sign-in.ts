/** Signing in, which is the one thing that is done without a session. */

export type SignInResult = { outcome: 'signed in' } | { outcome: 'refused'; reason: string }

export async function signIn(values: { email: string; password: string }): Promise<SignInResult> {
  try {
    const response = await fetch('/api/auth/sign-in/email', {
      method: 'POST',
      headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
      credentials: 'same-origin',
      body: JSON.stringify(values),
    })
    if (response.ok) return { outcome: 'signed in' }
    const body: { message?: string } | null = await response.json().catch(() => null)
    return { outcome: 'refused', reason: reasonOf(response, body?.message) }
  } catch {
    return { outcome: 'refused', reason: 'The hub cannot be reached. Check the connection.' }
  }
}

function reasonOf(response: Response, message: string | undefined): string {
  if (response.status === 429) {
    const seconds = response.headers.get('Retry-After') ?? '60'
    return `Too many attempts. Wait ${seconds} seconds and try again.`
  }
  if (response.status === 401) return 'The e-mail or the password is wrong.'
  return message ?? 'The hub did not answer as it should. Try again.'
}
