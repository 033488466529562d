import {
  ActionIcon,
  Anchor,
  Box,
  Divider,
  Group,
  NavLink,
  Select,
  Skeleton,
  Stack,
  Tabs,
  Title,
  Tooltip,
} from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import {
  DEFAULT_GUIDE_LANGUAGE,
  GUIDE_LANGUAGES,
  type GuideLanguage,
} from '@recordhub/protocol/constants'
import { IconDownload, IconPrinter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useLayoutEffect, useMemo } from 'react'
import { guidePath, guideQuery } from '../../api/guide.ts'
import { usePlatforms } from '../../api/platforms.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { RemovedPlatform } from '../../components/removed-platform.tsx'
import { changeUrlState, type UrlChanges, useUrlState } from '../../lib/url-state.ts'
import { TEXTS } from '../../texts.ts'
import classes from './guide.module.css'
import { GuideMarkdown } from './guide-markdown.tsx'
import { isLanguage, splitGuide } from './split-guide.ts'

const ANY = 'any'

/** The integration guide for the owners of platforms. */
export function GuidePage() {
  const [{ platform, section, language: requested }, change] = useUrlState()
  const [remembered, remember] = useLocalStorage<GuideLanguage>({
    key: 'recordhub-guide-language',
    defaultValue: DEFAULT_GUIDE_LANGUAGE,
    getInitialValueInEffect: false,
  })
  const savedLanguage = isLanguage(remembered) ? remembered : DEFAULT_GUIDE_LANGUAGE
  const language = isLanguage(requested) ? requested : savedLanguage
  const guide = useQuery(guideQuery(platform, language))
  const platforms = usePlatforms()
  const title = platforms.data?.find(({ id }) => String(id) === platform)?.display_title
  const markdown = guide.data?.markdown
  const split = useMemo(() => (markdown ? splitGuide(markdown) : null), [markdown])
  // Scrolls to the section of a link when the guide is first shown. Later this would move the focus of the user.
  const isShown = split !== null
  useLayoutEffect(() => {
    if (isShown && section) showSection(section)
  }, [isShown, section])

  const failed = <ErrorNotice error={guide.error} onRetry={() => void guide.refetch()} />

  function choose(chosen: GuideLanguage): void {
    remember(chosen)
    change({ language: chosen }, { replace: true })
  }

  return (
    <>
      <PageHeader
        isOfOne
        title="Connect your platform"
        description={
          <>
            For the developer of {title ?? 'a platform'}. It contains no key.
            <span className={classes['controls']}>
              {' '}
              To read data from the hub, see the{' '}
              <Anchor href="/docs" underline="always">
                API reference
              </Anchor>
              .
            </span>
          </>
        }
      >
        <Group className={classes['controls']} gap="xs">
          <Select
            size="xs"
            aria-label={TEXTS.platform}
            w={200}
            data={[
              { value: ANY, label: 'Any platform' },
              ...(platforms.data ?? []).map(({ id, display_title }) => ({
                value: String(id),
                label: display_title,
              })),
            ]}
            value={platform ?? ANY}
            onChange={(value) => change({ platform: value === ANY ? null : value })}
            allowDeselect={false}
            searchable
            error={platforms.isError ? 'Could not load the platforms' : undefined}
          />
          <CopyButton value={markdown ?? null} label="Copy as Markdown" text="Copy as Markdown" />
          <Tooltip label={TEXTS.download}>
            <ActionIcon
              component="a"
              href={guidePath(platform, language)}
              download={guide.data?.file_name ?? 'integration-guide.md'}
              variant="subtle"
              color="gray"
              size={30}
              aria-label={TEXTS.download}
            >
              <IconDownload size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Print">
            <ActionIcon
              variant="subtle"
              color="gray"
              size={30}
              aria-label="Print"
              onClick={() => window.print()}
            >
              <IconPrinter size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Group>
      </PageHeader>
      {guide.isError &&
        (platform === undefined ? (
          failed
        ) : (
          <RemovedPlatform platform={{ platform_id: platform }} otherwise={failed} />
        ))}
      <Tabs
        value={language}
        onChange={(value) => isLanguage(value) && choose(value)}
        className={classes['languages'] ?? ''}
      >
        <Tabs.List aria-label="Language of the examples">
          {Object.entries(GUIDE_LANGUAGES).map(([word, name]) => (
            <Tabs.Tab key={word} value={word}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={language}>
          {guide.isPending && <GuideSkeleton />}
          {split && (
            <div className={classes['layout']} data-stale={guide.isPlaceholderData || undefined}>
              <Box component="aside" className={classes['aside']} aria-label="Contents">
                <nav aria-label="Sections of the guide">
                  {split.sections.map(({ id, title }) => (
                    <SectionLink
                      key={id}
                      id={id}
                      title={title}
                      isCurrent={id === (section ?? split.sections[0]?.id)}
                    />
                  ))}
                </nav>
              </Box>
              <Box className={classes['document']}>
                <GuideMarkdown markdown={split.lead} />
                {split.sections.map(({ id, title, markdown: text }) => (
                  <section key={id} aria-labelledby={id}>
                    <Divider mt="xl" mb="lg" />
                    <Title
                      id={id}
                      order={2}
                      fz="h3"
                      tabIndex={-1}
                      className={classes['heading'] ?? ''}
                    >
                      {title}
                    </Title>
                    <GuideMarkdown markdown={text} />
                  </section>
                ))}
              </Box>
            </div>
          )}
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

function SectionLink({ id, title, isCurrent }: { id: string; title: string; isCurrent: boolean }) {
  return (
    <NavLink
      label={title}
      active={isCurrent}
      aria-current={isCurrent ? 'location' : undefined}
      renderRoot={(props) => (
        <Link
          to="."
          search={(before: UrlChanges) => changeUrlState(before, { section: id })}
          resetScroll={false}
          onClick={() => showSection(id)}
          {...props}
        />
      )}
    />
  )
}

/** Scrolls to a section and focuses its heading. */
function showSection(id: string): void {
  const heading = document.getElementById(id)
  heading?.scrollIntoView({ block: 'start' })
  heading?.focus({ preventScroll: true })
}

function GuideSkeleton() {
  return (
    <Stack maw={860} aria-busy="true" aria-label={TEXTS.loading}>
      <Skeleton height={20} width="60%" />
      <Skeleton height={28} width={220} mt="lg" />
      <Skeleton height={60} />
      <Skeleton height={220} />
      <Skeleton height={28} width={220} mt="lg" />
      <Skeleton height={320} />
    </Stack>
  )
}
