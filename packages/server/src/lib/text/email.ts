const EMAIL = /^(?:[\w'+-]+\.)*[\w'+-]*[\w+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/

/** Whether a text is an e-mail address with a domain name. Better Auth applies the same rule at sign-in. */
export function isEmail(text: string): boolean {
  return EMAIL.test(text)
}
