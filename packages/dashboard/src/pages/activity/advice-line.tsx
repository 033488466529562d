import { Group, Text, ThemeIcon } from '@mantine/core'
import { IconBulb } from '@tabler/icons-react'

/** Advice on how to resolve a problem. */
export function AdviceLine({ text }: { text: string }) {
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <ThemeIcon variant="transparent" color="gray" size={20} aria-hidden>
        <IconBulb size={16} />
      </ThemeIcon>
      <Text size="sm">{text}</Text>
    </Group>
  )
}
