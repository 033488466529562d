import { Box, type BoxProps, Group, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

/** A part of a page, with its heading in one line with a note and actions. */
export function Section({
  title,
  end,
  children,
  ...props
}: BoxProps & { title: string; end?: ReactNode; children: ReactNode }) {
  const id = useId()
  return (
    <Box component="section" aria-labelledby={id} {...props}>
      <Group gap="0 8px" mih={28} mb={8} c="var(--text-3)">
        <Title order={2} fz="md" c="var(--text)" id={id}>
          {title}
        </Title>
        {end}
      </Group>
      {children}
    </Box>
  )
}
