#!/usr/bin/env python3
"""Times how PaddlePaddle's `pipeline_scheduler_VPP` makes the job list of one stage.

    paddle_jobs.py STAGES CHUNKS MICRO_BATCHES

Prints `jobs <count> cpu <seconds>` for stage 0, the median of three. Exit status 77: Paddle is missing.
"""
import statistics
import sys
import time


def main():
    stages, chunks, micro_batches = map(int, sys.argv[1:4])
    try:
        from paddle.distributed.passes import new_pass
    except ImportError:
        return 77
    seconds = []
    for _ in range(3):
        attrs = {
            "num_micro_batches": micro_batches,
            "pp_stage": 0,
            "pp_degree": stages,
            "vpp_degree": chunks,
            "split_backward": False,
        }
        scheduler = new_pass("pipeline_scheduler_VPP", attrs)
        start = time.process_time()
        jobs = scheduler._pir_create_job_list()
        seconds.append(time.process_time() - start)
    print("jobs", len(jobs), "cpu", statistics.median(seconds))
    return 0


sys.exit(main())
