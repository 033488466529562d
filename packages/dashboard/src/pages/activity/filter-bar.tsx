import { Box, Button, Group, SimpleGrid } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconAdjustmentsHorizontal, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useUrlState } from '../../lib/url-state.ts'
import { TEXTS } from '../../texts.ts'

/** The filters of a list: one row on wide screens, behind a button on a phone. */
export function FilterBar({ names, children }: { names: readonly string[]; children: ReactNode }) {
  const [state, change] = useUrlState()
  const [isOpen, { toggle }] = useDisclosure(false)
  const set = names.filter((name) => state[name])
  const clear = () => change(Object.fromEntries(['cursor', ...names].map((name) => [name, null])))
  return (
    <Box component="search" aria-label={TEXTS.filters} mb="sm">
      <Group hiddenFrom="sm" mb="xs">
        <Button
          variant="default"
          size="xs"
          leftSection={<IconAdjustmentsHorizontal size={14} />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {set.length > 0 ? `Filters (${set.length})` : TEXTS.filters}
        </Button>
      </Group>
      <Box {...(isOpen ? {} : { visibleFrom: 'sm' })}>
        <SimpleGrid cols={{ base: 2, sm: 3, lg: names.length }} spacing="xs" verticalSpacing="xs">
          {children}
        </SimpleGrid>
      </Box>
      {set.length > 0 && (
        <Button
          variant="subtle"
          size="compact-xs"
          mt={6}
          leftSection={<IconX size={12} />}
          onClick={clear}
        >
          Clear filters
        </Button>
      )}
    </Box>
  )
}
