/** Operators and programs of hubs in other processes. */
import {
  createOperator,
  fetchFrom,
  type Operator as HubOperator,
  signInWith,
  withHeaders,
} from '../operator.ts'
import { untilTrue } from '../time/until.ts'
import { OPERATOR } from './sandbox.ts'

/** An operator; `at` is the same one, in the same session, at another address. */
export type Operator = HubOperator & { at: (address: string) => Operator }

/** The headers of requests in the session of an operator. */
export type SessionHeaders = Record<string, string>

type Credentials = { email: string; password: string }

/** Signs in; a session survives restarts of its hub. */
export async function signIn(
  address: string,
  credentials: Credentials = OPERATOR,
): Promise<Operator> {
  return createOperatorClient(address, await createSession(address, credentials))
}

export async function createSession(
  address: string,
  credentials: Credentials = OPERATOR,
): Promise<SessionHeaders> {
  return (await signInWith(fetchFrom(address), credentials)).headers
}

/** The operator, in the session of the template if the hub has one, because a sign-in costs as much as a start. */
export async function connectOperator(hub: {
  address: string
  session?: SessionHeaders | null
}): Promise<Operator> {
  return hub.session ? createOperatorClient(hub.address, hub.session) : signIn(hub.address)
}

export function createOperatorClient(address: string, credentials: SessionHeaders): Operator {
  const operator = createOperator(withHeaders(fetchFrom(address), () => credentials))
  return { ...operator, at: (other) => createOperatorClient(other, credentials) }
}

/** Waits until the readiness check of a hub succeeds. */
export async function untilReady({ address }: { address: string }): Promise<void> {
  await untilTrue('the hub is ready', async () => (await fetch(`${address}/readyz`)).ok)
}
