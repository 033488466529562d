import {
  Alert,
  Button,
  FileInput,
  Loader,
  PasswordInput,
  Progress,
  Stack,
  Text,
} from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { uploadBackup } from '../../api/backups.ts'
import { errorMessage } from '../../api/call-hub.ts'
import { TEXTS } from './texts.ts'

const POLL_MS = 1000

/** Uploads a backup to a hub without operators, and opens the sign-in page when the hub has restored it. */
export function RestoreForm({ token, onCancel }: { token: string; onCancel: () => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [passphrase, setPassphrase] = useState('')
  const [state, setState] = useState<'ready' | 'uploading' | 'restoring'>('ready')
  const [uploaded, setUploaded] = useState(0)
  const [errorText, setErrorText] = useState('')

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (!file) return
    setErrorText('')
    setUploaded(0)
    setState('uploading')
    try {
      await uploadBackup(file, { token, passphrase }, setUploaded)
      setState('restoring')
      await waitForRestart()
      location.assign('/sign-in')
    } catch (error) {
      setErrorText(errorMessage(error))
      setState('ready')
    }
  }

  if (state === 'restoring') {
    return (
      <Stack align="center" role="status">
        <Loader />
        <Text ta="center">{TEXTS.restoring}</Text>
      </Stack>
    )
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <FileInput
          label={TEXTS.backupFile}
          placeholder={TEXTS.chooseBackupFile}
          accept=".recordhub-backup"
          required
          value={file}
          onChange={setFile}
        />
        <PasswordInput
          label={TEXTS.backupPassphrase}
          description={TEXTS.backupPassphraseHint}
          autoComplete="off"
          value={passphrase}
          onChange={({ currentTarget }) => setPassphrase(currentTarget.value)}
        />
        {state === 'uploading' && (
          <Progress value={uploaded * 100} aria-label={TEXTS.uploadAndRestore} />
        )}
        {errorText && (
          <Alert color="red" variant="light" role="alert">
            {errorText}
          </Alert>
        )}
        <Button type="submit" disabled={!file} loading={state === 'uploading'}>
          {TEXTS.uploadAndRestore}
        </Button>
        <Button variant="subtle" onClick={onCancel} disabled={state === 'uploading'}>
          {TEXTS.setUpNewHub}
        </Button>
      </Stack>
    </form>
  )
}

/** Waits until the hub has stopped, and accepts requests again. */
async function waitForRestart(): Promise<void> {
  let hasStopped = false
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    // Between the upload and the restart, the hub still has no operator.
    const isReady = await fetch('/setup', { redirect: 'manual' }).then(
      ({ type, ok }) => (type === 'opaqueredirect' ? 'restored' : ok ? 'empty' : 'stopped'),
      () => 'stopped' as const,
    )
    if (isReady === 'restored') return
    if (isReady === 'stopped') hasStopped = true
    else if (hasStopped) throw new Error(TEXTS.restoreFailed)
  }
}
