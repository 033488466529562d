/** Replaces `document` with one that contains only the CSRF meta tag. */
export function replaceDocument(): void {
  let content = ''
  const tag = {
    getAttribute: () => content,
    setAttribute: (_name: string, value: string) => {
      content = value
    },
  }
  const querySelector = (selector: string) => (selector === 'meta[name="csrf-token"]' ? tag : null)
  const value = { querySelector, hidden: false, addEventListener: () => undefined }
  Object.defineProperty(globalThis, 'document', { value, configurable: true })
}
