import { Alert, Button, Group } from '@mantine/core'

/** How the form of a dialog ends: what went wrong, and the ways out. */
export function FormEnd({
  trouble,
  action,
  isBusy,
  danger = false,
  onCancel,
}: {
  /** '' for nothing. */
  trouble: string
  /** What the button that submits says. */
  action: string
  isBusy: boolean
  danger?: boolean
  onCancel: () => void
}) {
  return (
    <>
      {trouble && (
        <Alert color="red" variant="light" role="alert">
          {trouble}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" {...(danger ? { color: 'red' } : {})} loading={isBusy}>
          {action}
        </Button>
      </Group>
    </>
  )
}
