import { Button, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { snapshot } from '../../api/live.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { useStore } from '../../lib/store.ts'
import { useUrlState } from '../../lib/url-state.ts'
import { PlatformCard } from './platform-card.tsx'
import { TEXTS } from './texts.tsx'

const PAGE = 12

/** The state of each platform; failing ones come first. */
export function PlatformGrid() {
  const [{ platforms: requested = '1' }, change] = useUrlState()
  const current = useStore(snapshot)
  const all = current?.platforms ?? null
  const pages = Math.max(1, Math.ceil((all?.length ?? 0) / PAGE))
  const page = Math.min(pages, Math.max(1, Number.parseInt(requested, 10) || 1))
  const shown = (all ?? []).slice((page - 1) * PAGE, page * PAGE)
  const goTo = (next: number) => change({ platforms: next === 1 ? '' : String(next) })
  const pullsOf = (id: number) =>
    current?.recent_pulls.find(({ platform_id }) => platform_id === id)?.pulls ?? []
  return (
    <Stack gap="sm" component="section" aria-label={TEXTS.platforms}>
      <Group justify="space-between">
        <Title order={2} fz="md">
          {TEXTS.platforms}
        </Title>
        {pages > 1 && (
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              {TEXTS.pageOf(page, pages)}
            </Text>
            <Button
              size="xs"
              variant="default"
              disabled={page === 1}
              onClick={() => goTo(page - 1)}
            >
              {TEXTS.previousPlatforms}
            </Button>
            <Button
              size="xs"
              variant="default"
              disabled={page === pages}
              onClick={() => goTo(page + 1)}
            >
              {TEXTS.nextPlatforms}
            </Button>
          </Group>
        )}
      </Group>
      {all?.length === 0 ? (
        <EmptyState
          icon={<IconPlugConnected />}
          title={TEXTS.noPlatformsRegistered}
          action={
            <Button component={Link} to="/dashboard/platforms/new">
              {TEXTS.registerAPlatform}
            </Button>
          }
        >
          {TEXTS.noPlatformsRegisteredHint}
        </EmptyState>
      ) : (
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3, xl: 4 }} spacing="sm">
          {all
            ? shown.map((platform) => (
                <PlatformCard key={platform.id} platform={platform} pulls={pullsOf(platform.id)} />
              ))
            : [1, 2, 3].map((index) => <Skeleton key={index} height={114} />)}
        </SimpleGrid>
      )}
    </Stack>
  )
}
