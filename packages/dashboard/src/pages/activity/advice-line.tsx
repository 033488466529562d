import { Group, Text, ThemeIcon } from '@mantine/core'
import { IconBulb } from '@tabler/icons-react'

/** What somebody can do about it. */
export function AdviceLine({ words }: { words: string }) {
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <ThemeIcon variant="transparent" color="gray" size={20} aria-hidden>
        <IconBulb size={16} />
      </ThemeIcon>
      <Text size="sm">{words}</Text>
    </Group>
  )
}
