"""The clockwork ticks every minute, also after the clock was put back."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from bot.jobs import JOB, Clockwork


async def test_a_clock_that_is_put_back_by_a_year_does_not_stop_the_ticking() -> None:
    ticks = 0

    async def job() -> None:
        nonlocal ticks
        ticks += 1

    clockwork = Clockwork(job)
    clockwork.start()
    await asyncio.gather(*clockwork._running)
    alarm = clockwork._scheduler.get_job(JOB)
    # What it would have worked out by a clock that is a year ahead.
    alarm.modify(next_run_time=datetime.now(UTC) + timedelta(days=365))
    clockwork._watch()
    assert clockwork._scheduler.get_job(JOB).next_run_time <= datetime.now(UTC) + timedelta(
        minutes=2
    )
    await clockwork.stop()
    await clockwork.stop()
    assert ticks == 2


async def test_an_alarm_that_is_near_is_left_alone() -> None:
    ticks = 0

    async def job() -> None:
        nonlocal ticks
        ticks += 1

    clockwork = Clockwork(job)
    clockwork.start()
    await asyncio.gather(*clockwork._running)
    before = clockwork._scheduler.get_job(JOB).next_run_time
    clockwork._watch()
    assert clockwork._scheduler.get_job(JOB).next_run_time == before
    await clockwork.stop()
    assert ticks == 1
