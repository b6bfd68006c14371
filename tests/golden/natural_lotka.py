"""Value and gradient of lotka with respect to theta, start. Written by sourcediff 0.1.0."""

# source: natural.py = tests/golden/natural.py

import numpy as np


def lotka_value_and_grad(theta, start, observed, dt):  # natural.py:82
    misfit = 0.0  # natural.py:84
    saved, t46_saved = [], []  # natural.py:85
    for row in observed:
        prey = start[0]  # natural.py:77
        predator = start[1]
        beta = theta[1]  # natural.py:78
        delta = theta[3]
        k1 = np.array([theta[0] * prey - beta * prey * predator, delta * prey * predator - theta[2] * predator])  # natural.py:86
        state1 = start + 0.5 * dt * k1  # natural.py:87
        prey1, predator1 = state1  # natural.py:77
        beta1 = theta[1]  # natural.py:78
        delta1 = theta[3]
        k2 = np.array([theta[0] * prey1 - beta1 * prey1 * predator1, delta1 * prey1 * predator1 - theta[2] * predator1])  # natural.py:87
        state2 = start + 0.5 * dt * k2  # natural.py:88
        prey2, predator2 = state2  # natural.py:77
        beta2 = theta[1]  # natural.py:78
        delta2 = theta[3]
        k3 = np.array([theta[0] * prey2 - beta2 * prey2 * predator2, delta2 * prey2 * predator2 - theta[2] * predator2])  # natural.py:88
        state3 = start + dt * k3  # natural.py:89
        prey3, predator3 = state3  # natural.py:77
        beta3 = theta[1]  # natural.py:78
        delta3 = theta[3]
        k4 = np.array([theta[0] * prey3 - beta3 * prey3 * predator3, delta3 * prey3 * predator3 - theta[2] * predator3])  # natural.py:89
        saved.append((start, state1, state2, state3))  # natural.py:90
        start = start + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t46 = np.log(start) - np.log(row)  # natural.py:91
        misfit += np.sum(t46 ** 2)
        t46_saved.append(t46)  # natural.py:85
    state_bar = np.zeros_like(start)
    theta_bar = np.zeros_like(theta)
    for row in reversed(observed):
        t46 = t46_saved.pop()
        state_bar += 2 * t46 / start  # natural.py:91
        start, state1, state2, state3 = saved.pop()  # natural.py:90
        t42_bar = state_bar * (dt / 6)
        k3_bar = 2 * t42_bar
        k2_bar = 2 * t42_bar
        t6_bar = t42_bar[0]  # natural.py:89
        t7_bar = t42_bar[1]
        t36_bar = -t7_bar  # natural.py:79
        predator3 = state3[1]
        gamma3_bar = t36_bar * predator3
        predator3_bar = t36_bar * theta[2]
        prey3 = state3[0]
        delta3 = theta[3]
        t34_bar = t7_bar * predator3
        predator3_bar += t7_bar * (delta3 * prey3)
        delta3_bar = t34_bar * prey3
        prey3_bar = t34_bar * delta3
        t33_bar = -t6_bar
        beta3 = theta[1]
        t32_bar = t33_bar * predator3
        predator3_bar += t33_bar * (beta3 * prey3)
        prey3_bar += t32_bar * beta3
        prey3_bar += t6_bar * theta[0]
        theta_bar[3] += delta3_bar  # natural.py:78
        theta_bar[2] += gamma3_bar
        theta_bar[1] += t32_bar * prey3
        theta_bar[0] += t6_bar * prey3
        state3_bar = np.array([prey3_bar, predator3_bar])  # natural.py:77
        state_bar += state3_bar  # natural.py:89
        k3_bar += state3_bar * dt
        t4_bar = k3_bar[0]  # natural.py:88
        t5_bar = k3_bar[1]
        t29_bar = -t5_bar  # natural.py:79
        predator2 = state2[1]
        gamma2_bar = t29_bar * predator2
        predator2_bar = t29_bar * theta[2]
        prey2 = state2[0]
        delta2 = theta[3]
        t27_bar = t5_bar * predator2
        predator2_bar += t5_bar * (delta2 * prey2)
        delta2_bar = t27_bar * prey2
        prey2_bar = t27_bar * delta2
        t26_bar = -t4_bar
        beta2 = theta[1]
        t25_bar = t26_bar * predator2
        predator2_bar += t26_bar * (beta2 * prey2)
        prey2_bar += t25_bar * beta2
        prey2_bar += t4_bar * theta[0]
        theta_bar[3] += delta2_bar  # natural.py:78
        theta_bar[2] += gamma2_bar
        theta_bar[1] += t25_bar * prey2
        theta_bar[0] += t4_bar * prey2
        state2_bar = np.array([prey2_bar, predator2_bar])  # natural.py:77
        state_bar += state2_bar  # natural.py:88
        k2_bar += state2_bar * (0.5 * dt)
        t2_bar = k2_bar[0]  # natural.py:87
        t3_bar = k2_bar[1]
        t21_bar = -t3_bar  # natural.py:79
        predator1 = state1[1]
        gamma1_bar = t21_bar * predator1
        predator1_bar = t21_bar * theta[2]
        prey1 = state1[0]
        delta1 = theta[3]
        t19_bar = t3_bar * predator1
        predator1_bar += t3_bar * (delta1 * prey1)
        delta1_bar = t19_bar * prey1
        prey1_bar = t19_bar * delta1
        t18_bar = -t2_bar
        beta1 = theta[1]
        t17_bar = t18_bar * predator1
        predator1_bar += t18_bar * (beta1 * prey1)
        prey1_bar += t17_bar * beta1
        prey1_bar += t2_bar * theta[0]
        theta_bar[3] += delta1_bar  # natural.py:78
        theta_bar[2] += gamma1_bar
        theta_bar[1] += t17_bar * prey1
        theta_bar[0] += t2_bar * prey1
        state1_bar = np.array([prey1_bar, predator1_bar])  # natural.py:77
        state_bar += state1_bar  # natural.py:87
        k1_bar = t42_bar + state1_bar * (0.5 * dt)
        t_bar = k1_bar[0]  # natural.py:86
        t1_bar = k1_bar[1]
        t13_bar = -t1_bar  # natural.py:79
        predator = start[1]
        gamma_bar = t13_bar * predator
        predator_bar = t13_bar * theta[2]
        prey = start[0]
        delta = theta[3]
        t11_bar = t1_bar * predator
        predator_bar += t1_bar * (delta * prey)
        delta_bar = t11_bar * prey
        prey_bar = t11_bar * delta
        t10_bar = -t_bar
        beta = theta[1]
        t9_bar = t10_bar * predator
        predator_bar += t10_bar * (beta * prey)
        prey_bar += t9_bar * beta
        prey_bar += t_bar * theta[0]
        theta_bar[3] += delta_bar  # natural.py:78
        theta_bar[2] += gamma_bar
        theta_bar[1] += t9_bar * prey
        theta_bar[0] += t_bar * prey
        state_bar[1] += predator_bar  # natural.py:77
        state_bar[0] += prey_bar
    return misfit, (theta_bar, state_bar)


EQUAL = (('2', 'start.0'), ('4', 'theta.0'))

ASSUMED = (('observed.1', '==', '2'), ('start.0', '==', '2'))
