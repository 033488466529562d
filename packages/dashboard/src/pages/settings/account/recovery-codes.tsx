import { SecretOnce } from '../secret-once.tsx'

/** Recovery codes, shown this once. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <SecretOnce title="Keep these recovery codes" value={codes.join('\n')} label="recovery codes">
      Each lets you in once when you do not have your app. They are not shown again: keep them where
      you keep your passwords.
    </SecretOnce>
  )
}
