import { Alert } from '@mantine/core'
import { IconAlertCircle } from '@tabler/icons-react'

const STYLES = {
  root: { padding: '10px 12px' },
  icon: { width: 16, marginInlineEnd: 8 },
  message: { color: 'inherit' },
}

/** Why a form was rejected; nothing for an empty message. */
export function FormError({ message }: { message: string | undefined }) {
  if (!message) return null
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertCircle size={16} aria-hidden />}
      c="var(--red-text)"
      styles={STYLES}
      role="alert"
    >
      {message}
    </Alert>
  )
}
