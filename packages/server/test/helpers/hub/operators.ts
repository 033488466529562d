/** The methods of test hubs about operators as functions, for the folders that still use these. */
import type { TestHub } from './hub.ts'

type Arguments<Name extends keyof TestHub> = TestHub[Name] extends (...args: infer Args) => unknown
  ? Args
  : never

export const addOperator = (hub: TestHub, ...args: Arguments<'addOperator'>) =>
  hub.addOperator(...args)
export const createOperator = (hub: TestHub, ...args: Arguments<'createOperator'>) =>
  hub.createOperator(...args)
export const invite = (hub: TestHub, ...args: Arguments<'invite'>) => hub.invite(...args)
export const signInAs = (hub: TestHub, ...args: Arguments<'signIn'>) => hub.signIn(...args)
export const callAs = (hub: TestHub, ...args: Arguments<'callAs'>) => hub.callAs(...args)
