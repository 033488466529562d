import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Dialog } from '../../../components/dialog.tsx'
import { ErrorNotice } from '../../../components/error-notice.tsx'
import { TEXTS } from '../../../texts.ts'

/** Requires a name to be typed before data is deleted. */
export function TypedConfirmation({
  title,
  label,
  name,
  action,
  children,
  onClose,
  onConfirm,
}: {
  title: string
  label: string
  name: string
  action: string
  children: ReactNode
  onClose: () => void
  onConfirm: () => Promise<void>
}) {
  const [typed, setTyped] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault()
    setIsBusy(true)
    setError(null)
    try {
      await onConfirm()
      onClose()
    } catch (failure) {
      setError(failure)
      setIsBusy(false)
    }
  }

  return (
    <Dialog opened onClose={onClose} title={title} closeOnClickOutside={!isBusy}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          {children}
          <TextInput
            label={label}
            description={name}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          {error !== null && <ErrorNotice error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} disabled={isBusy}>
              {TEXTS.cancel}
            </Button>
            <Button type="submit" color="red" loading={isBusy} disabled={typed !== name}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
