import { ActionIcon, Button, Kbd } from '@mantine/core'
import { useCounter, useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'

const CommandSearch = lazy(() =>
  import('./command-search.tsx').then((file) => ({ default: file.CommandSearch })),
)

/** Opens the search over everything, which is loaded when it is first opened. */
export function CommandSearchButton() {
  const [openings, { increment: open }] = useCounter(0)
  useHotkeys([
    ['mod+K', open],
    ['/', open],
  ])
  return (
    <>
      <Button
        visibleFrom="sm"
        variant="default"
        c="dimmed"
        fw={400}
        w={260}
        justify="flex-start"
        styles={{ label: { flexGrow: 1 } }}
        leftSection={<IconSearch size={16} />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onClick={open}
      >
        Search
      </Button>
      <ActionIcon
        hiddenFrom="sm"
        variant="subtle"
        color="gray"
        size="lg"
        aria-label="Search"
        onClick={open}
      >
        <IconSearch size={18} />
      </ActionIcon>
      {openings > 0 && (
        <Suspense>
          <CommandSearch openings={openings} />
        </Suspense>
      )}
    </>
  )
}
