import {
  ActionIcon,
  Anchor,
  Box,
  Group,
  NavLink,
  Select,
  Skeleton,
  Stack,
  Tabs,
  Text,
  Title,
  Tooltip,
  VisuallyHidden,
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
import { Fragment, useLayoutEffect, useMemo } from 'react'
import { guidePath, guideQuery } from '../../api/guide.ts'
import { usePlatforms } from '../../api/platforms.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { IconButton } from '../../components/icon-button.tsx'
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
  const sections = useMemo(() => (markdown ? splitGuide(markdown) : null), [markdown])
  // Scrolls to the section of a link when the guide is first shown. Later this would move the focus of the user.
  const isShown = sections !== null
  useLayoutEffect(() => {
    if (isShown && section) showSection(section)
  }, [isShown, section])

  const failed = <ErrorNotice error={guide.error} onRetry={() => void guide.refetch()} />

  function choose(chosen: GuideLanguage): void {
    remember(chosen)
    change({ language: chosen }, { replace: true })
  }

  const current = section ?? sections?.[0]?.id
  return (
    <div className={classes['layout']}>
      <div className={classes['top']}>
        <PageHeader
          isOfOne
          title="Connect your platform"
          description={`For the developer of ${title ?? 'a platform'}. It contains no key.`}
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
            <IconButton label="Print" tooltip="Print" size={30} onClick={() => print()}>
              <IconPrinter size={16} aria-hidden />
            </IconButton>
          </Group>
        </PageHeader>
        {guide.isError &&
          (platform === undefined ? (
            failed
          ) : (
            <RemovedPlatform platform={{ platform_id: platform }} otherwise={failed} />
          ))}
      </div>
      <Box component="aside" className={classes['aside']} aria-label="Contents">
        <nav aria-label="Sections of the guide">
          {sections?.map(({ parts, ...heading }) => (
            <Fragment key={heading.id}>
              <SectionLink
                {...heading}
                isCurrent={heading.id === current}
                isGroup={parts.length > 0}
              />
              {parts.map((part) => (
                <SectionLink key={part.id} {...part} isCurrent={part.id === current} />
              ))}
            </Fragment>
          ))}
        </nav>
      </Box>
      <Tabs
        value={language}
        onChange={(value) => isLanguage(value) && choose(value)}
        className={classes['languages'] ?? ''}
      >
        <Tabs.List aria-label="Language of the examples">
          {Object.entries(GUIDE_LANGUAGES).map(([word, name]) => (
            <Tabs.Tab key={word} value={word}>
              <LanguageName name={name} />
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={language} data-stale={guide.isPlaceholderData || undefined}>
          {guide.isPending && <GuideSkeleton />}
          {sections?.map(({ id, title, markdown: text }) => (
            <section key={id} aria-labelledby={id}>
              <Title id={id} order={2} mt="xl" tabIndex={-1} className={classes['heading'] ?? ''}>
                {title}
              </Title>
              <GuideMarkdown markdown={text} />
            </section>
          ))}
          {sections && (
            <Text className={classes['controls'] ?? ''} mt="xl" c="dimmed">
              To read data from the hub, see the{' '}
              <Anchor href="/docs" underline="always">
                API reference
              </Anchor>
              .
            </Text>
          )}
        </Tabs.Panel>
      </Tabs>
    </div>
  )
}

/** What the second line says of a language whose name has no second part. */
const NOTES: Readonly<Record<string, string>> = { cURL: 'to try it out', PHP: 'no package' }

/** A language on two lines: `Python / FastAPI`. */
function LanguageName({ name }: { name: string }) {
  const [, first = name, between = '', second = ''] = /^(\S+)( \/ | )(.+)$/.exec(name) ?? []
  return (
    <>
      <b>{first}</b>
      <VisuallyHidden>{between}</VisuallyHidden>
      <small aria-hidden={second === ''}>{second || NOTES[name]}</small>
    </>
  )
}

function SectionLink(props: {
  id: string
  title: string
  isCurrent: boolean
  /** It has the sections after it. */
  isGroup?: boolean
}) {
  const { id, title, isCurrent, isGroup = false } = props
  return (
    <NavLink
      label={title}
      className={classes[isGroup ? 'group' : 'part'] ?? ''}
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
    <Stack mt="lg" aria-busy="true" aria-label={TEXTS.loading}>
      <Skeleton height={28} width={220} mt="lg" />
      <Skeleton height={60} />
      <Skeleton height={220} />
      <Skeleton height={28} width={220} mt="lg" />
      <Skeleton height={320} />
    </Stack>
  )
}
