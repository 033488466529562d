import { Button, FileInput, Loader, PasswordInput, Progress, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { errorMessage } from '../../api/call-hub.ts'
import { uploadBackup } from '../../api/sign-in.ts'
import { FormError } from '../../components/form-error.tsx'
import { EntryFrame } from './entry-frame.tsx'

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
      <EntryFrame title="Restore a backup">
        <Stack align="center" role="status">
          <Loader />
          <Text ta="center">
            The backup is being restored. The hub restarts, and the sign-in page opens then.
          </Text>
        </Stack>
      </EntryFrame>
    )
  }
  const description =
    'Restore the data of another hub on this one. The hub needs the same secret (HUB_SECRET or the file recordhub.secret), and the same database engine.'
  return (
    <EntryFrame title="Restore a backup" description={description}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          <FileInput
            label="Backup file"
            placeholder="Choose a file"
            accept=".recordhub-backup"
            required
            value={file}
            onChange={setFile}
          />
          <PasswordInput
            label="Passphrase"
            description="Only if the backup is encrypted"
            autoComplete="off"
            value={passphrase}
            onChange={({ currentTarget }) => setPassphrase(currentTarget.value)}
          />
          {state === 'uploading' && (
            <Progress value={uploaded * 100} aria-label="Upload and restore" />
          )}
          <FormError message={errorText} />
          <Button type="submit" disabled={!file} loading={state === 'uploading'}>
            Upload and restore
          </Button>
          <Button variant="subtle" onClick={onCancel} disabled={state === 'uploading'}>
            Set up a new hub instead
          </Button>
        </Stack>
      </form>
    </EntryFrame>
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
    else if (hasStopped)
      throw new Error('The backup could not be restored. The log of the hub says why.')
  }
}
