import { Alert, Button, Group } from '@mantine/core'
import { TEXTS } from '../texts.ts'

/** The end of a form in a dialog: the error, and the buttons to cancel and submit. */
export function FormActions({
  error,
  action,
  isBusy,
  danger = false,
  onCancel,
}: {
  /** An empty string for none. */
  error: string
  /** The label of the submit button. */
  action: string
  isBusy: boolean
  danger?: boolean
  onCancel: () => void
}) {
  return (
    <>
      {error && (
        <Alert color="red" variant="light" role="alert">
          {error}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="subtle" color="gray" onClick={onCancel}>
          {TEXTS.cancel}
        </Button>
        <Button type="submit" {...(danger ? { color: 'red' } : {})} loading={isBusy}>
          {action}
        </Button>
      </Group>
    </>
  )
}
