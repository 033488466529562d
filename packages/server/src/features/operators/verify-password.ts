import type { Auth } from './auth.ts'

/** Whether this is the password of an operator; never for one who has none. */
export async function verifyPassword(
  auth: Auth,
  operatorId: string,
  given: string,
): Promise<boolean> {
  const { internalAdapter, password } = await auth.$context
  const account = await internalAdapter.findCredentialAccount(operatorId)
  const hash = account?.password
  return typeof hash === 'string' && password.verify({ hash, password: given })
}
