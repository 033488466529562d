import { Button, Group } from '@mantine/core'
import { IconArrowBarToUp, IconChevronRight } from '@tabler/icons-react'
import { useUrlState } from '../../lib/url-state.ts'

/** Goes on to what is older, and back to the newest; the browser's Back goes one page back. */
export function Pager({ next, noun }: { next: string | null; noun: string }) {
  const [{ cursor }, change] = useUrlState()
  if (!cursor && next === null) return null
  const go = (to: string | null) => {
    change({ cursor: to })
    window.scrollTo({ top: 0 })
  }
  return (
    <Group justify="space-between" mt="sm">
      {cursor ? (
        <Button
          variant="default"
          size="xs"
          leftSection={<IconArrowBarToUp size={14} />}
          onClick={() => go(null)}
        >
          Newest {noun}
        </Button>
      ) : (
        <span />
      )}
      {next !== null && (
        <Button
          variant="default"
          size="xs"
          rightSection={<IconChevronRight size={14} />}
          onClick={() => go(next)}
        >
          Older {noun}
        </Button>
      )}
    </Group>
  )
}
