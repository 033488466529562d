import { NavLink } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { changeUrlState, type UrlChanges } from '../../lib/url-state.ts'
import classes from './guide.module.css'
import type { GuideSection } from './split-guide.ts'
import { TEXTS } from './texts.tsx'

/** Links to the sections of the guide. */
export function GuideContents({
  sections,
  current,
}: {
  sections: GuideSection[]
  current: string | undefined
}) {
  return (
    <nav aria-label={TEXTS.sectionsGuide} className={classes['contents']}>
      {sections.map(({ id, title }) => (
        <NavLink
          key={id}
          label={title}
          active={id === current}
          aria-current={id === current ? 'location' : undefined}
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
      ))}
    </nav>
  )
}

/** Scrolls to a section and focuses its heading. */
export function showSection(id: string): void {
  const heading = document.getElementById(id)
  heading?.scrollIntoView({ block: 'start' })
  heading?.focus({ preventScroll: true })
}
