"""Desks: how many processes hold tables, counted as they start and end, without a clock."""

import asyncio
import random

import pytest

from supersparse.show.studio.crew import Crew, WorkerEndedError
from supersparse.show.studio.texts import StudioError


class Process:
    """A worker that is no process: a job takes some turns of the loop, and may end it."""

    def __init__(self, office):
        self.office, self.is_alive, self.is_busy = office, True, False
        office.alive.add(self)
        office.most = max(office.most, len(office.alive))

    async def do(self, job, given, listener=None):
        for _ in range(given.get("turns", 3)):
            await asyncio.sleep(0)
            if not self.is_alive:
                raise WorkerEndedError
        if job == "crash":
            self.kill()
            raise WorkerEndedError
        return job

    def kill(self):
        self.is_alive = False
        self.office.alive.discard(self)

    async def close(self):
        self.kill()


class Office(Crew):
    """A crew whose processes are counted."""

    def __init__(self, folder, *, desks):
        super().__init__(folder, desks=desks, ahead=False)
        self.alive, self.most, self.started = set(), 0, 0

    async def _started(self):
        for _ in range(3):
            await asyncio.sleep(0)
        self.started += 1
        made = Process(self)
        self._all.add(made)
        return made


async def settle():
    for _ in range(200):
        await asyncio.sleep(0)


def with_office(folder, work, desks=2):
    async def go():
        office = Office(folder, desks=desks)
        try:
            return await work(office)
        finally:
            await office.close()
            await settle()
            assert not office.alive

    return asyncio.run(go())


def test_many_tables_at_once_have_as_many_processes_as_there_are_desks(tmp_path):
    async def work(office):
        found = await asyncio.gather(*(office.ask(f"t{n}", "profile", {"turns": n % 5}) for n in range(40)))
        assert found == ["profile"] * 40
        assert (office.most, office.started, len(office.alive)) == (2, 40, 2)

    with_office(tmp_path, work)


def test_a_table_that_is_asked_again_keeps_its_process(tmp_path):
    async def work(office):
        for _ in range(5):
            assert await office.ask("t1", "rows", {}) == "rows"
            assert await office.ask("t2", "rows", {}) == "rows"
        assert office.started == 2
        await office.ask("t3", "rows", {})  # in the place of t1, which was not asked for longest
        await office.ask("t2", "rows", {})
        assert office.started == 3
        await office.ask("t1", "rows", {})
        assert (office.started, office.most) == (4, 2)

    with_office(tmp_path, work)


def test_jobs_of_one_table_take_the_room_of_one(tmp_path):
    async def work(office):
        slow = [asyncio.create_task(office.ask("t1", "profile", {"turns": 1000})) for _ in range(5)]
        await settle()
        assert await office.ask("t2", "rows", {}) == "rows"
        assert not any(task.done() for task in slow)
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)

    with_office(tmp_path, work)


def test_a_process_that_ends_is_replaced_once(tmp_path):
    async def work(office):
        with pytest.raises(StudioError, match="ended unexpectedly"):
            await office.ask("t1", "crash", {})
        assert (office.started, len(office.alive), len(office._all)) == (2, 0, 0)
        assert await office.ask("t1", "rows", {}) == "rows"

    with_office(tmp_path, work)


def test_a_table_that_was_removed_at_work_gets_no_process_again(tmp_path):
    async def work(office):
        asked = asyncio.create_task(office.ask("t1", "profile", {"turns": 1000}))
        await settle()
        office.forget("t1")
        with pytest.raises(StudioError):
            await asked
        assert (office.started, len(office.alive)) == (1, 0)

    with_office(tmp_path, work)


@pytest.mark.parametrize("turns", range(12))
def test_a_request_that_is_given_up_leaves_no_process_behind(tmp_path, turns):
    async def work(office):
        asked = asyncio.create_task(office.ask("t1", "profile", {"turns": 50}))
        for _ in range(turns):
            await asyncio.sleep(0)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        await settle()
        held = [desk for desk in office._desks.values() if desk.worker is not None]
        assert len(office.alive) == len(held)

    with_office(tmp_path, work)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_happens_there_are_never_more_processes_than_desks(tmp_path, seed):
    rng = random.Random(seed)
    desks = rng.randint(1, 3)

    async def work(office):
        tasks = []
        for _ in range(60):
            kind = rng.choice(["ask", "ask", "ask", "crash", "cancel", "forget", "turn"])
            table = f"t{rng.randint(1, 6)}"
            if kind in ("ask", "crash"):
                job = "crash" if kind == "crash" else "rows"
                tasks.append(asyncio.create_task(office.ask(table, job, {"turns": rng.randint(0, 9)})))
            elif kind == "cancel" and tasks:
                rng.choice(tasks).cancel()
            elif kind == "forget":
                office.forget(table)
            for _ in range(rng.randint(0, 4)):
                await asyncio.sleep(0)
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(end == "rows" or isinstance(end, StudioError | asyncio.CancelledError) for end in ended)
        await settle()
        assert office.most <= desks
        assert len(office.alive) == sum(desk.worker is not None for desk in office._desks.values())

    with_office(tmp_path, work, desks)


@pytest.mark.parametrize("turns", range(12))
def test_a_crew_that_closes_waits_for_what_is_starting(tmp_path, turns):
    async def work(office):
        asked = asyncio.create_task(office.ask("t1", "profile", {"turns": 50}))
        for _ in range(turns):
            await asyncio.sleep(0)
        await office.close()
        assert not office.alive
        assert not office._all
        with pytest.raises(StudioError):
            await asked
        assert not office.alive

    with_office(tmp_path, work)
