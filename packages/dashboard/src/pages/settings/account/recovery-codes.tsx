import { SecretOnce } from '../secret-once.tsx'

/** New recovery codes, shown only once. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <SecretOnce title="Save these recovery codes" value={codes.join('\n')} label="recovery codes">
      Each code works once if you do not have your authenticator app. The codes are not shown again.
      Save them in your password manager.
    </SecretOnce>
  )
}
