import { SecretOnce } from '../secret-once.tsx'
import { TEXTS } from '../texts.tsx'

/** New recovery codes, shown only once. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  return (
    <SecretOnce
      title={TEXTS.saveRecoveryCodes}
      value={codes.join('\n')}
      label={TEXTS.recoveryCodes}
    >
      {TEXTS.saveRecoveryCodesHint}
    </SecretOnce>
  )
}
